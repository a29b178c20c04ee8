"""What the compiled modules were made of; setup.py compiles it anew whenever that changes."""

cdef extern from *:
    const char* UR_SOURCES

DIGEST = UR_SOURCES.decode("ascii")
