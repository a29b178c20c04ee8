HAS_OPENMP: bool

class Workspace:
    def release(self) -> None: ...
