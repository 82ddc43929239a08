"""The intermediate representation: modules of recurrence equations over index axes, with their printer and verifier."""
