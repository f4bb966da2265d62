"""Random C programs, run natively on every input and symbolically by mneme: what `scripts/differential.py` is made of."""
