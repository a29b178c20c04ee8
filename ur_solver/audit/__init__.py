"""Audits of recorded games by a table (losses, luck, marks, reports), and reference players."""
