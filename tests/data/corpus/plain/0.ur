rules: finkel:1

L 2 A@A3
D 1 C@C4
L 0 --
D 0 --
L 3 A3B1
D 3 C4C1*
D 2 C1B2
L 3 B1B4*
L 2 B4B6
D 3 B2B5
L 3 B6A8
D 0 --
L 3 --
D 0 --
L 3 --
D 1 B5B6
L 3 --
D 2 B6B8
L 1 A8A7*
L 2 --
D 0 --
L 1 A7A+
end: won, winner L
