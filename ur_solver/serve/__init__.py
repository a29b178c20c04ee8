"""Tables and rule sets over HTTP: what `ur serve` offers to the board's page and to programs.

    shelf      the tables that are served, by id, and the memory that each may take
    describe   what a table or a rule set is: board, paths, dice, start
    unfold     a position with all throws and moves, and what they are worth
    games      games: played move by move, or read from a text; audits, reports
    openapi    the document of the interface
    guard      what every request must pass and every answer carries
    app        routes; the only module that knows the framework
    listen     the socket
    run        the server on it

All but `app`, `guard` and `run` are plain functions of tables and texts, which return JSON values.
"""
