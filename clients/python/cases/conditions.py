"""Conditions: ETags that hold, that are stale, that are none, and writers who race."""

from concurrent.futures import ThreadPoolExecutor

from azure.core import MatchConditions
from azure.core.exceptions import (
    HttpResponseError,
    ResourceExistsError,
    ResourceModifiedError,
    ResourceNotFoundError,
)
from azure.data.tables import UpdateMode

from account import entity, fresh_table
from expect import answer_to, code_in, equal, fails, holds
from runner import case

IF_CURRENT = MatchConditions.IfNotModified


def table_with_stale_tag():
    """A table with an entity, and the ETag that the entity had before its last write."""
    table = fresh_table()
    stale = table.create_entity(entity(value=1))['etag']
    table.update_entity(entity(value=2), UpdateMode.REPLACE)
    return table, stale


@case('a replacement with the current ETag works and answers with the next one')
def _():
    table = fresh_table()
    first = table.create_entity(entity(value=1))['etag']
    written = table.update_entity(entity(value=2), UpdateMode.REPLACE, etag=first, match_condition=IF_CURRENT)
    second = written['etag']
    holds(second != first, 'the ETag is another one')
    equal(table.get_entity('partition', 'row').metadata['etag'], second, 'the ETag')
    table.update_entity(entity(value=3), UpdateMode.REPLACE, etag=second, match_condition=IF_CURRENT)
    equal(table.get_entity('partition', 'row'), entity(value=3))


@case('a merge with the current ETag works and answers with the next one')
def _():
    table = fresh_table()
    first = table.create_entity(entity(value=1))['etag']
    second = table.update_entity(entity(more=2), UpdateMode.MERGE, etag=first, match_condition=IF_CURRENT)
    table.update_entity(entity(last=3), UpdateMode.MERGE, etag=second['etag'], match_condition=IF_CURRENT)
    equal(table.get_entity('partition', 'row'), entity(value=1, more=2, last=3))


@case('a replacement with a stale ETag is UpdateConditionNotSatisfied and changes nothing')
def _():
    table, stale = table_with_stale_tag()
    with fails(ResourceModifiedError, 412, 'UpdateConditionNotSatisfied'):
        table.update_entity(entity(value=3), UpdateMode.REPLACE, etag=stale, match_condition=IF_CURRENT)
    equal(table.get_entity('partition', 'row'), entity(value=2))


@case('a merge with a stale ETag is UpdateConditionNotSatisfied and changes nothing')
def _():
    table, stale = table_with_stale_tag()
    with fails(ResourceModifiedError, 412, 'UpdateConditionNotSatisfied'):
        table.update_entity(entity(more=3), UpdateMode.MERGE, etag=stale, match_condition=IF_CURRENT)
    equal(table.get_entity('partition', 'row'), entity(value=2))


@case('a delete with a stale ETag is UpdateConditionNotSatisfied and deletes nothing')
def _():
    table, stale = table_with_stale_tag()
    with fails(ResourceModifiedError, 412, 'UpdateConditionNotSatisfied'):
        table.delete_entity('partition', 'row', etag=stale, match_condition=IF_CURRENT)
    equal(table.get_entity('partition', 'row'), entity(value=2))


@case('a delete with the current ETag works')
def _():
    table = fresh_table()
    current = table.create_entity(entity())['etag']
    table.delete_entity('partition', 'row', etag=current, match_condition=IF_CURRENT)
    equal(list(table.list_entities()), [], 'the entities')


@case('the ETag of an upsert holds for the next update')
def _():
    table = fresh_table()
    for mode in UpdateMode:
        tag = table.upsert_entity(entity(value=1), mode)['etag']
        table.update_entity(entity(value=2), mode, etag=tag, match_condition=IF_CURRENT)
    equal(table.get_entity('partition', 'row'), entity(value=2))


@case('the ETag of a query holds for an update')
def _():
    table = fresh_table()
    table.create_entity(entity(value=1))
    (found,) = table.query_entities('value eq 1')
    table.update_entity(
        entity(value=2), UpdateMode.REPLACE, etag=found.metadata['etag'], match_condition=IF_CURRENT
    )
    equal(table.get_entity('partition', 'row'), entity(value=2))


@case('an entity that was read carries its own condition')
def _():
    table = fresh_table()
    table.create_entity(entity(value=1))
    mine, theirs = (table.get_entity('partition', 'row') for _ in range(2))
    theirs['value'] = 2
    table.update_entity(theirs, UpdateMode.REPLACE, match_condition=IF_CURRENT)
    mine['value'] = 3
    with fails(ResourceModifiedError, 412, 'UpdateConditionNotSatisfied'):
        table.update_entity(mine, UpdateMode.REPLACE, match_condition=IF_CURRENT)
    with fails(ResourceModifiedError, 412, 'UpdateConditionNotSatisfied'):
        table.delete_entity(mine, match_condition=IF_CURRENT)
    equal(table.get_entity('partition', 'row'), entity(value=2))


@case('a write without a condition disregards what happened in between')
def _():
    table, _ = table_with_stale_tag()
    unconditional = MatchConditions.Unconditionally
    table.update_entity(entity(value=3), UpdateMode.REPLACE, match_condition=unconditional)
    equal(table.get_entity('partition', 'row'), entity(value=3))
    table.delete_entity('partition', 'row', match_condition=unconditional)
    equal(list(table.list_entities()), [], 'the entities')


@case('a condition on a missing entity is ResourceNotFound')
def _():
    table = fresh_table()
    tag = table.create_entity(entity())['etag']
    table.delete_entity('partition', 'row')
    for mode in UpdateMode:
        with fails(ResourceNotFoundError, 404, 'ResourceNotFound'):
            table.update_entity(entity(), mode, etag=tag, match_condition=IF_CURRENT)
    answer = answer_to(table.delete_entity, 'partition', 'row', etag=tag, match_condition=IF_CURRENT)
    equal((answer.status_code, code_in(answer)), (404, 'ResourceNotFound'), 'the answer to the delete')


@case('a well-formed ETag of something else is UpdateConditionNotSatisfied')
def _():
    table = fresh_table()
    table.create_entity(entity(value=1))
    for tag in ('W/"wrong"', 'W/"datetime\'2000-01-01T00%3A00%3A00Z\'"'):
        with fails(ResourceModifiedError, 412, 'UpdateConditionNotSatisfied'):
            table.update_entity(entity(value=2), UpdateMode.REPLACE, etag=tag, match_condition=IF_CURRENT)


@case('a malformed ETag is InvalidInput')
def _():
    table = fresh_table()
    table.create_entity(entity(value=1))
    # The client puts quotes around what has none, so both arrive as strong tags, which the service has not.
    for tag in ('abc', '"datetime\'2000-01-01T00%3A00%3A00Z\'"'):
        with fails(HttpResponseError, 400, 'InvalidInput'):
            table.update_entity(entity(value=2), UpdateMode.REPLACE, etag=tag, match_condition=IF_CURRENT)
        with fails(HttpResponseError, 400, 'InvalidInput'):
            table.delete_entity('partition', 'row', etag=tag, match_condition=IF_CURRENT)
    equal(table.get_entity('partition', 'row'), entity(value=1))


@case('of racing updates with one ETag exactly one wins')
def _():
    table = fresh_table()
    tag = table.create_entity(entity(value=-1))['etag']

    def attempt(number):
        try:
            table.update_entity(
                entity(value=number), UpdateMode.REPLACE, etag=tag, match_condition=IF_CURRENT
            )
        except ResourceModifiedError:
            return None
        return number

    with ThreadPoolExecutor(8) as pool:
        winners = [number for number in pool.map(attempt, range(8)) if number is not None]
    equal(len(winners), 1, 'the number of winners')
    equal(table.get_entity('partition', 'row'), entity(value=winners[0]))


@case('of racing inserts exactly one wins')
def _():
    table = fresh_table()

    def attempt(number):
        try:
            table.create_entity(entity(value=number))
        except ResourceExistsError:
            return None
        return number

    with ThreadPoolExecutor(8) as pool:
        winners = [number for number in pool.map(attempt, range(8)) if number is not None]
    equal(len(winners), 1, 'the number of winners')
    equal(table.get_entity('partition', 'row'), entity(value=winners[0]))


@case('counters that are incremented under conditions lose no increment')
def _():
    table = fresh_table()
    table.create_entity(entity(count=0))

    def increment_five_times(_):
        done = 0
        while done < 5:
            found = table.get_entity('partition', 'row')
            found['count'] += 1
            try:
                table.update_entity(found, UpdateMode.REPLACE, match_condition=IF_CURRENT)
            except ResourceModifiedError:
                continue
            done += 1

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(increment_five_times, range(4)))
    equal(table.get_entity('partition', 'row')['count'], 20, 'the count')
