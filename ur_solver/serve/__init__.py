"""Tables and rule sets over HTTP: the server of the board's page and of programs.

    shelf      the served tables, by id, and the memory that each may take
    describe   the data of a table or a rule set: board, paths, dice, start
    unfold     a position with all throws and moves, and their values
    games      games: played move by move, or read from a text; audits, reports
    openapi    the document of the interface
    guard      the checks of every request and the headers of every answer
    replies    replies over HTTP, and the tags by which clients keep them
    page_files the files of the board's page
    page_routes their routes
    app        the application: routes and handlers
    opening    the page's files while the rest is loaded
    listen     the socket
    run        the server on it

`describe`, `unfold`, `games` and `openapi` are plain functions of tables and texts, which return
JSON values.
"""
