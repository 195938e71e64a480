"""The account under test, as the environment describes it, and what the cases need of it."""

import os
import secrets
from datetime import datetime, timedelta, timezone
from urllib.parse import urlsplit

from azure.core.credentials import AzureNamedKeyCredential, AzureSasCredential
from azure.data.tables import TableClient, TableServiceClient, generate_table_sas

connection_string = os.environ['TABULARIUM_CONNECTION_STRING']
endpoint = os.environ['TABULARIUM_TABLE_ENDPOINT']
secondary_endpoint = os.environ['TABULARIUM_TABLE_SECONDARY_ENDPOINT']
credential = AzureNamedKeyCredential(
    os.environ['TABULARIUM_ACCOUNT_NAME'], os.environ['TABULARIUM_ACCOUNT_KEY']
)

# Of the right account, but a key that it does not have.
wrong_credential = AzureNamedKeyCredential(credential.named_key.name, 'bm90IHRoZSBrZXkgb2YgdGhpcyBhY2NvdW50')

# For every client: a request that works only when it is sent again has not worked.
options = {'retry_total': 0}

# For clients of the secondary address, which they build themselves for names like account.table.host only. So
# they are given it as their address, and the bare host as the secondary one, which then changes nothing.
secondary_options = {**options, 'secondary_hostname': urlsplit(endpoint).netloc}

service = TableServiceClient.from_connection_string(connection_string, **options)

_names = []


def fresh_name(length=20):
    """The name of a table that no other case has; what stands under it is removed when the case ends."""
    name = f'p{secrets.token_hex(length)}'[:length]
    _names.append(name)
    return name


def fresh_names(*endings):
    """Names that differ in their endings only, so that a range of names holds them and no others."""
    beginning = fresh_name()
    names = [beginning + ending for ending in endings]
    _names.extend(names)
    return names


def fresh_table():
    """A client of a new, empty table."""
    return service.create_table(fresh_name())


def remove_tables():
    while _names:
        service.delete_table(_names.pop())


def table_with_sas(table_name, token):
    return TableClient(endpoint, table_name, credential=AzureSasCredential(token), **options)


def shared(table, permission='raud', **terms):
    """A client of the table with nothing but a signature on these terms, for an hour unless they say more."""
    terms.setdefault('expiry', from_now(hours=1))
    token = generate_table_sas(credential, table.table_name, permission=permission, **terms)
    return table_with_sas(table.table_name, token)


def service_with_sas(token):
    return TableServiceClient(endpoint, credential=AzureSasCredential(token), **options)


def from_now(**difference):
    """The time that is so far from now: from_now(hours=1), from_now(minutes=-5)."""
    return datetime.now(timezone.utc) + timedelta(**difference)


def entity(row='row', partition='partition', **properties):
    return {'PartitionKey': partition, 'RowKey': row, **properties}
