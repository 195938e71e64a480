"""The service's properties: logging, metrics, CORS rules."""

from contextlib import contextmanager

from azure.core.exceptions import HttpResponseError
from azure.data.tables import TableAnalyticsLogging, TableCorsRule, TableMetrics, TableRetentionPolicy

from account import entity, fresh_table, service
from expect import answer_to, equal, fails
from runner import case

NO_RETENTION = (False, None)


def retention(days):
    return TableRetentionPolicy(enabled=True, days=days)


def plain(properties):
    """The properties as data that can be compared: the client's own models do not all compare."""

    def kept(policy):
        return (policy.enabled, policy.days)

    logging, hour, minute = (
        properties[name] for name in ('analytics_logging', 'hour_metrics', 'minute_metrics')
    )
    return {
        'logging': (
            logging.version,
            logging.read,
            logging.write,
            logging.delete,
            kept(logging.retention_policy),
        ),
        'hour': (hour.version, hour.enabled, hour.include_apis, kept(hour.retention_policy)),
        'minute': (minute.version, minute.enabled, minute.include_apis, kept(minute.retention_policy)),
        'cors': [vars(rule) for rule in properties['cors'] or []],
    }


def found():
    return plain(service.get_service_properties())


@contextmanager
def restored():
    """The properties belong to the account, so whoever changes them puts them back."""
    before = service.get_service_properties()
    try:
        yield
    finally:
        service.set_service_properties(**{**before, 'cors': before['cors'] or []})


def rule(*origins, **settings):
    return TableCorsRule(list(origins), ['GET', 'PUT'], **settings)


@case('the properties are off before anyone sets them')
def _():
    equal(
        found(),
        {
            'logging': ('1.0', False, False, False, NO_RETENTION),
            'hour': ('1.0', False, None, NO_RETENTION),
            'minute': ('1.0', False, None, NO_RETENTION),
            'cors': [],
        },
        'the properties',
    )


@case('logging comes back as it was set')
def _():
    with restored():
        service.set_service_properties(
            analytics_logging=TableAnalyticsLogging(
                read=True, write=True, delete=False, retention_policy=retention(5)
            )
        )
        equal(found()['logging'], ('1.0', True, True, False, (True, 5)), 'logging')
        service.set_service_properties(analytics_logging=TableAnalyticsLogging(delete=True))
        equal(found()['logging'], ('1.0', False, False, True, NO_RETENTION), 'logging')


@case('hour and minute metrics come back as they were set')
def _():
    with restored():
        service.set_service_properties(
            hour_metrics=TableMetrics(enabled=True, include_apis=True, retention_policy=retention(7)),
            minute_metrics=TableMetrics(enabled=True, include_apis=False),
        )
        equal(found()['hour'], ('1.0', True, True, (True, 7)), 'hour metrics')
        equal(found()['minute'], ('1.0', True, False, NO_RETENTION), 'minute metrics')


@case('CORS rules come back as they were set, in their order')
def _():
    rules = [
        TableCorsRule(
            ['http://www.xyz.com', 'http://www.ab.com'],
            ['GET', 'MERGE', 'OPTIONS'],
            allowed_headers=['x-ms-meta-xyz', 'x-ms-meta-data*'],
            exposed_headers=['x-ms-meta-abc', '*'],
            max_age_in_seconds=500,
        ),
        TableCorsRule(['*'], ['PUT']),
    ]
    with restored():
        service.set_service_properties(cors=rules)
        equal(found()['cors'], [vars(rule) for rule in rules], 'the rules')


@case('what is not mentioned when properties are set stays as it was')
def _():
    with restored():
        service.set_service_properties(
            analytics_logging=TableAnalyticsLogging(read=True, retention_policy=retention(3)),
            hour_metrics=TableMetrics(enabled=True, include_apis=True),
            cors=[rule('http://a.example')],
        )
        before = found()
        service.set_service_properties(minute_metrics=TableMetrics(enabled=True, include_apis=True))
        equal(found(), {**before, 'minute': ('1.0', True, True, NO_RETENTION)}, 'the properties')


@case('an empty list of CORS rules removes them and nothing else')
def _():
    with restored():
        service.set_service_properties(
            analytics_logging=TableAnalyticsLogging(write=True), cors=[rule('*'), rule('http://a.example')]
        )
        before = found()
        service.set_service_properties(cors=[])
        equal(found(), {**before, 'cors': []}, 'the properties')


@case('five CORS rules are accepted, six are InvalidXmlDocument')
def _():
    rules = [rule(f'http://host{number}.example') for number in range(6)]
    with restored():
        service.set_service_properties(cors=rules[:5])
        equal(len(found()['cors']), 5, 'the number of rules')
        with fails(HttpResponseError, 400, 'InvalidXmlDocument'):
            service.set_service_properties(cors=rules)
        equal(len(found()['cors']), 5, 'the number of rules')


@case('a CORS rule for an unknown method is InvalidXmlDocument')
def _():
    with restored():
        with fails(HttpResponseError, 400, 'InvalidXmlDocument'):
            service.set_service_properties(cors=[TableCorsRule(['*'], ['GET', 'FETCH'])])


@case('data is kept for 1 to 365 days')
def _():
    with restored():
        for days in (1, 365):
            service.set_service_properties(
                analytics_logging=TableAnalyticsLogging(retention_policy=retention(days))
            )
            equal(found()['logging'][-1], (True, days), 'the retention')
        for days in (0, 366):
            with fails(HttpResponseError, 400, 'InvalidXmlDocument'):
                service.set_service_properties(
                    analytics_logging=TableAnalyticsLogging(retention_policy=retention(days))
                )
        equal(found()['logging'][-1], (True, 365), 'the retention')


@case('metrics that are enabled must say whether they include APIs')
def _():
    with restored():
        with fails(HttpResponseError, 400, 'InvalidXmlDocument'):
            service.set_service_properties(hour_metrics=TableMetrics(enabled=True))


@case('properties without any member are InvalidXmlDocument')
def _():
    with fails(HttpResponseError, 400, 'InvalidXmlDocument'):
        service.set_service_properties()


@case('a refused set of properties changes nothing')
def _():
    before = found()
    with fails(HttpResponseError, 400, 'InvalidXmlDocument'):
        service.set_service_properties(
            analytics_logging=TableAnalyticsLogging(read=True),
            hour_metrics=TableMetrics(enabled=True, include_apis=True, retention_policy=retention(366)),
        )
    equal(found(), before, 'the properties')


@case('answers to an origin that a CORS rule allows say so, and others do not')
def _():
    table = fresh_table()
    table.create_entity(entity())

    def headers(origin):
        return answer_to(table.get_entity, 'partition', 'row', headers={'Origin': origin}).headers

    with restored():
        service.set_service_properties(cors=[rule('http://good.example', exposed_headers=['ETag'])])
        allowed = headers('http://good.example')
        equal(allowed.get('Access-Control-Allow-Origin'), 'http://good.example', 'the origin')
        equal(allowed.get('Access-Control-Expose-Headers'), 'ETag', 'the exposed headers')
        equal(headers('http://bad.example').get('Access-Control-Allow-Origin'), None, 'the origin')
    equal(headers('http://good.example').get('Access-Control-Allow-Origin'), None, 'the origin')
