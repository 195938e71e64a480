"""Drives a Table service through the official package `azure-data-tables`; ../run.ts starts it.

It needs the packages of requirements.txt and the variables that account.py reads. `python suite.py` runs
everything. `python suite.py stored policy` runs the cases whose names contain these words, for work on one of
them; only the whole suite counts what it ran.
"""

import sys
from importlib import import_module

from runner import run

# The modules of cases, in the order in which they run.
SUBJECTS = (
    'tables',
    'types',
    'limits',
    'keys',
    'writes',
    'conditions',
    'transactions',
    'queries',
    'paging',
    'table_access',
    'ranges',
    'account_access',
    'policies',
    'properties',
    'service',
    'asynchronous',
)

# A case that is lost on the way must not go unnoticed, nor a subject that is no longer in the list.
CASES_STATED = 355

if __name__ == '__main__':
    for subject in SUBJECTS:
        import_module(f'cases.{subject}')
    words = ' '.join(sys.argv[1:])
    sys.exit(run(words, None if words else CASES_STATED))
