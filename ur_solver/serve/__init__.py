"""Tables and rule sets over HTTP: the server of the board's page and of programs.

    shelf       the served tables, by id, and the memory that each may take
    describe    the data of a table or a rule set: board, paths, dice, start
    plain       a rule set for players: in short, square by square, and its prose
    unfold      a position with all throws and moves, and their values
    rounds      a round of an opening, likewise
    judged      games: played move by move, or read from a text; audits, reports
    drawn       exercises drawn from play
    rules_data  a rule set as data for a page without a server
    openapi     the document of the interface
    schemas     what its requests and answers are made of
    asked       what requests ask for, checked
    guard       the checks of every request and the headers of every answer
    replies     replies over HTTP, and the tags by which clients keep them
    page_files  the files of the board's page
    page_routes their routes
    app         the application: routes and handlers
    first_page  the page's files while the rest is loaded
    front       what others see of the server: its names, its path, its log
    root_path   the path of a proxy, taken off requests
    connection  connections: how long they may be silent, and how many there may be
    listen      the socket
    run         the server on it

`describe`, `plain`, `unfold`, `rounds`, `judged`, `drawn`, `rules_data` and `openapi` are plain
functions of tables, rule sets and texts, which return JSON values.
"""
