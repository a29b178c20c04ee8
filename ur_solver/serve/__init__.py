"""Tables and rule sets over HTTP: what `ur serve` offers to the board's page and to programs.

    shelf      the tables that are served, by id, and the memory that each may take
    describe   what a table or a rule set is: board, paths, dice, start
    unfold     a position with all throws and moves, and what they are worth
    games      games: played move by move, or read from a text; audits, reports
    openapi    the document of the interface
    guard      what every request must pass and every answer carries
    replies    replies over HTTP, and the tags by which clients keep them
    page_files the files of the board's page
    app        the application: routes and handlers
    opening    the page's files while the rest is loaded
    listen     the socket
    run        the server on it

`describe`, `unfold`, `games` and `openapi` are plain functions of tables and texts, which return
JSON values.
"""
