"""A site of plain files: the board's page with rules and values, without a server."""
