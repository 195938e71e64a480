"""What the cases state. Plain assertions would fall silent under `python -O`, and say too little without."""

from contextlib import contextmanager

from azure.core.exceptions import ClientAuthenticationError, HttpResponseError
from azure.data.tables import TableTransactionError


def equal(actual, expected, what='the value'):
    if actual != expected:
        raise AssertionError(f'{what} is {shorten(actual)}, not {shorten(expected)}')


def holds(condition, what):
    if not condition:
        raise AssertionError(f'it does not hold that {what}')


@contextmanager
def fails(error_type, status=None, *codes):
    """The block must raise exactly this type and, if a status is given, with it and one of the codes."""
    try:
        yield
    except error_type as error:
        equal(type(error).__name__, error_type.__name__, 'the type of the error')
        if status is not None:
            equal(error.status_code, status, 'the status')
            is_among(codes, error)
    else:
        raise AssertionError(f'no {error_type.__name__} was raised')


@contextmanager
def is_forbidden(*codes):
    """The block must be refused with 403 and, if some are given, one of the codes."""
    try:
        yield
    except HttpResponseError as error:
        equal(error.status_code, 403, 'the status')
        if codes:
            is_among(codes, error)
    else:
        raise AssertionError('nothing was refused')


def is_not_authenticated(client):
    """A client of a table must be refused a query because of the signature that it has."""
    with fails(ClientAuthenticationError, 403, 'AuthenticationFailed'):
        list(client.list_entities())


@contextmanager
def transaction_fails(index, status, *codes):
    """The transaction in the block must fail as a whole, because of the operation at this index."""
    with fails(TableTransactionError, status, *codes):
        try:
            yield
        except TableTransactionError as error:
            equal(error.index, index, 'the index of the operation that failed')
            raise


def is_among(codes, error):
    holds(code_of(error) in codes, f'the code {code_of(error)} is {" or ".join(codes)}')


def code_of(error):
    """The service's code. Of a refused insert the client raises the bare response, without its code."""
    code = getattr(error, 'error_code', None)
    if code is None:
        code = error.response.headers.get('x-ms-error-code') or code_in(error.response)
    return getattr(code, 'value', code)


def code_in(response):
    """The code in the body of an answer, if that is an error in JSON."""
    try:
        return response.json()['odata.error']['code']
    except (ValueError, KeyError):
        return None


def answer_to(operation, *arguments, **options):
    """The HTTP response to an operation, for what the client hides: the 404 to a delete, or a header."""
    answers = []
    operation(*arguments, raw_response_hook=lambda answer: answers.append(answer.http_response), **options)
    return answers[-1]


def shorten(value):
    text = repr(value)
    return text if len(text) <= 300 else f'{text[:300]}... ({len(text)} characters)'
