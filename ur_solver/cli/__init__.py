"""The commands of `ur`; the only room that prints, asks or parses arguments."""
