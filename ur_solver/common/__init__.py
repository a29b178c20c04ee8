"""What every room needs of the machine and of the outside: files, text, numbers, progress."""
