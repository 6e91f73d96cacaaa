"""From rows of the ledger to what a screen shows. Light: plain tuples in, items of output out, and no value of
``core`` but zones.
"""
