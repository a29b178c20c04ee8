rules: birds:1

L enter 2 --
D enter 4 --
L enter 1 2 1A@A3
D enter 4 --
L move 1 1A3A2
D enter 2 --
L move 3 1A2B2
D enter 2 --
L move 2 1B2B4*
D enter 0 --
L move 3 1B4B7
D enter 2 --
L move 2 1B7A8
D enter 3 --
L move 1 1A8A7*
D enter 2 --
L move 1 1A7A+
end: won, winner L
