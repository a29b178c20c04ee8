"""Tables and rule sets over HTTP: the server of the board's page and of programs.

shelf       the served tables, by id, and the memory that each may take
rules_data  rule sets described, in words and as data
answers     values of positions and of encoded states, games judged and converted
interface   the types of requests and replies, and the document of the interface
app         the application: routes and handlers
page_files  the files of the board's page
page_app    the page over HTTP, while the rest is loaded and after
front       what others see of the server: its names, its path, the checks of requests
run         the server on a socket
"""
