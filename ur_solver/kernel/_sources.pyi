DIGEST: str
