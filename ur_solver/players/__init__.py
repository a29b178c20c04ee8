"""Who plays: policies, and the turns on encoded states that they choose in."""
