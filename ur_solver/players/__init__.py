"""Players: policies, and their turns on encoded states."""
