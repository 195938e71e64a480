"""Registers cases and runs them one after the other, reporting as the runner of all suites reads it."""

import asyncio
import inspect
import sys
import traceback

from account import remove_tables

_cases = {}


def case(name):
    """Registers a function, plain or async, as the case with this name: a sentence about behaviour."""

    def register(function):
        if name in _cases:
            raise ValueError(f'two cases are named {name!r}')
        _cases[name] = function
        return function

    return register


def run(words='', stated=None):
    """Runs the cases whose names contain the words. Returns the exit code."""
    passed = failed = 0
    for name, function in _cases.items():
        if words not in name:
            continue
        try:
            _run_one(function)
        except Exception as error:
            failed += 1
            reason = (str(error).strip() or 'no reason given').splitlines()[0]
            print(f'not ok {name}: {type(error).__name__}: {reason}', flush=True)
            print(f'\n{name}\n{traceback.format_exc()}', file=sys.stderr, flush=True)
        else:
            passed += 1
            print(f'ok {name}', flush=True)
    is_complete = stated is None or passed + failed == stated
    if not is_complete:
        print(f'{passed + failed} cases ran, {stated} are stated', file=sys.stderr)
    print(f'cases: {passed} passed, {failed} failed', flush=True)
    return 0 if failed == 0 and passed > 0 and is_complete else 1


def _run_one(function):
    try:
        if inspect.iscoroutinefunction(function):
            asyncio.run(function())
        else:
            function()
    finally:
        remove_tables()
