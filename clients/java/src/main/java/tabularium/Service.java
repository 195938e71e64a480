package tabularium;

import com.azure.core.http.HttpHeaderName;
import com.azure.core.http.rest.Response;
import com.azure.data.tables.TableClient;
import com.azure.data.tables.TableServiceClient;
import com.azure.data.tables.TableServiceVersion;
import com.azure.data.tables.models.ListEntitiesOptions;
import com.azure.data.tables.models.ListTablesOptions;
import com.azure.data.tables.models.TableEntity;
import com.azure.data.tables.models.TableServiceCorsRule;
import com.azure.data.tables.models.TableServiceGeoReplication;
import com.azure.data.tables.models.TableServiceGeoReplicationStatus;
import com.azure.data.tables.models.TableServiceLogging;
import com.azure.data.tables.models.TableServiceMetrics;
import com.azure.data.tables.models.TableServiceProperties;
import com.azure.data.tables.models.TableServiceRetentionPolicy;
import java.time.OffsetDateTime;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/** The service as a whole: its properties, its secondary, who may come in, and the version it speaks. */
final class Service {
    private static final HttpHeaderName VERSION = HttpHeaderName.fromString("x-ms-version");

    private Service() {}

    static void add(Cases cases) {
        cases.add(
                "service properties begin with everything off",
                () -> Check.equal(
                        "logs 1.0 false false false kept never; hours 1.0 false null kept never; minutes 1.0 false"
                                + " null kept never; rules []",
                        text(Account.SERVICE.getProperties()),
                        "the properties"));

        properties(cases, "logging comes back as it was set", () -> {
            Account.SERVICE.setProperties(new TableServiceProperties().setLogging(logging(5)));
            Check.that(now().startsWith("logs 1.0 true false true kept 5 days;"), "the properties are " + now());
        });

        properties(cases, "hour and minute metrics come back as they were set", () -> {
            Account.SERVICE.setProperties(new TableServiceProperties()
                    .setHourMetrics(metrics(true, 7))
                    .setMinuteMetrics(metrics(false, 365)));
            Check.that(
                    now().contains("hours 1.0 true true kept 7 days; minutes 1.0 true false kept 365 days;"),
                    "the properties are " + now());
        });

        properties(cases, "CORS rules come back as they were set, in their order", () -> {
            Account.SERVICE.setProperties(new TableServiceProperties()
                    .setCorsRules(List.of(
                            rule("http://a.example,http://b.example")
                                    .setAllowedHeaders("x-ms-meta-a,x-ms-meta-b*")
                                    .setExposedHeaders("x-ms-*"),
                            rule("*"))));
            Check.that(
                    now().endsWith("rules [http://a.example,http://b.example GET,PUT [x-ms-meta-a,x-ms-meta-b*]"
                            + " [x-ms-*] 60, * GET,PUT [] [] 60]"),
                    "the properties are " + now());
        });

        properties(cases, "setting one property keeps the others", () -> {
            Account.SERVICE.setProperties(new TableServiceProperties()
                    .setLogging(logging(5))
                    .setHourMetrics(metrics(true, 7))
                    .setCorsRules(List.of(rule("*"))));
            Account.SERVICE.setProperties(new TableServiceProperties().setMinuteMetrics(metrics(false, 2)));
            Check.equal(
                    "logs 1.0 true false true kept 5 days; hours 1.0 true true kept 7 days; minutes 1.0 true false"
                            + " kept 2 days; rules [* GET,PUT [] [] 60]",
                    now(),
                    "the properties");
        });

        properties(cases, "an empty list of CORS rules removes them", () -> {
            Account.SERVICE.setProperties(new TableServiceProperties().setCorsRules(List.of(rule("*"))));
            Account.SERVICE.setProperties(new TableServiceProperties().setCorsRules(List.of()));
            Check.that(now().endsWith("rules []"), "the properties are " + now());
        });

        properties(cases, "five CORS rules are stored, six are refused with 400 InvalidXmlDocument", () -> {
            Account.SERVICE.setProperties(new TableServiceProperties().setCorsRules(Collections.nCopies(5, rule("*"))));
            Check.refused(
                    400,
                    "InvalidXmlDocument",
                    () -> Account.SERVICE.setProperties(
                            new TableServiceProperties().setCorsRules(Collections.nCopies(6, rule("*")))));
            Check.equal(5, Account.SERVICE.getProperties().getCorsRules().size(), "the number of rules");
        });

        properties(cases, "a retention of 0 or 366 days is refused with 400 InvalidXmlDocument", () -> {
            String before = now();
            for (int days : new int[] {0, 366}) {
                Check.refused(
                        400,
                        "InvalidXmlDocument",
                        () -> Account.SERVICE.setProperties(new TableServiceProperties().setLogging(logging(days))));
                Check.refused(
                        400,
                        "InvalidXmlDocument",
                        () -> Account.SERVICE.setProperties(
                                new TableServiceProperties().setHourMetrics(metrics(true, days))));
            }
            Check.equal(before, now(), "the properties");
        });

        properties(cases, "properties without any, or incomplete ones, are refused with 400 InvalidXmlDocument", () -> {
            List<TableServiceProperties> bad = List.of(
                    new TableServiceProperties(),
                    new TableServiceProperties().setLogging(logging(5).setRetentionPolicy(null)),
                    new TableServiceProperties().setLogging(logging(5).setAnalyticsVersion(null)),
                    new TableServiceProperties().setHourMetrics(metrics(true, 5).setIncludeApis(null)),
                    new TableServiceProperties().setCorsRules(List.of(rule("*").setAllowedMethods(null))));
            for (TableServiceProperties each : bad) {
                Check.refused(400, "InvalidXmlDocument", () -> Account.SERVICE.setProperties(each));
            }
        });

        cases.add("the secondary tells its statistics: live, and when it was last in step", () -> {
            TableServiceGeoReplication replication =
                    Account.SECONDARY.getStatistics().getGeoReplication();
            Check.equal(TableServiceGeoReplicationStatus.LIVE, replication.getStatus(), "the status");
            OffsetDateTime last = replication.getLastSyncTime();
            Check.that(
                    last.isAfter(TableSas.inMinutes(-60)) && last.isBefore(TableSas.inMinutes(1)),
                    "it was in step " + last);
        });

        cases.add(
                "the primary refuses statistics with 400 InvalidQueryParameterValue",
                () -> Check.refused(400, "InvalidQueryParameterValue", Account.SERVICE::getStatistics));

        cases.onTable("the secondary reads tables, entities and properties, page by page too", table -> {
            table.submitTransaction(Transactions.creations(25));
            TableClient secondary = Account.SECONDARY.getTableClient(table.getTableName());
            Check.equal(7, secondary.getEntity("p", "007").getProperty("value"), "the value");
            Check.equal(List.of("007", "008"), Queries.rowKeys(secondary, "value ge 7 and value lt 9"), "the row keys");
            Check.equal(
                    3,
                    Paging.pages(secondary, new ListEntitiesOptions().setTop(10), null)
                            .size(),
                    "the number of pages");
            ListTablesOptions named = new ListTablesOptions().setFilter("TableName eq '" + table.getTableName() + "'");
            Check.equal(
                    1L, Account.SECONDARY.listTables(named, null, null).stream().count(), "the number of tables");
            Check.equal(now(), text(Account.SECONDARY.getProperties()), "the properties");
            Check.equal(null, secondary.getAccessPolicies().getIdentifiers(), "the access policies");
            Check.refused(404, "ResourceNotFound", () -> secondary.getEntity("p", "missing"));
        });

        cases.onTable("the secondary refuses every write with 403 WriteOperationNotSupportedOnSecondary", table -> {
            String code = "WriteOperationNotSupportedOnSecondary";
            table.createEntity(new TableEntity("p", "r"));
            TableClient secondary = Account.SECONDARY.getTableClient(table.getTableName());
            Check.refused(403, code, () -> Account.SECONDARY.createTable(Account.freshName()));
            Check.refused(403, code, secondary::deleteTable);
            Check.refused(403, code, () -> secondary.createEntity(new TableEntity("p", "s")));
            Check.refused(403, code, () -> secondary.updateEntity(new TableEntity("p", "r")));
            Check.refused(403, code, () -> secondary.upsertEntity(new TableEntity("p", "r")));
            Check.refused(403, code, () -> secondary.deleteEntity("p", "r"));
            Check.refused(403, code, () -> secondary.setAccessPolicies(List.of()));
            Check.refused(
                    403,
                    code,
                    () -> Account.SECONDARY.setProperties(new TableServiceProperties().setLogging(logging(5))));
            Check.equal(List.of("r"), Queries.rowKeys(table, null), "the row keys");
        });

        cases.onTable("signatures are good on the secondary", table -> {
            table.createEntity(new TableEntity("p", "r"));
            for (String sas : List.of(
                    table.generateSas(TableSas.permitting("r")), AccountSas.sas(AccountSas.values("t", "so", "r")))) {
                Check.equal(
                        "r",
                        Account.signed(Account.SECONDARY_ENDPOINT, sas)
                                .getTableClient(table.getTableName())
                                .getEntity("p", "r")
                                .getRowKey(),
                        "the row key");
            }
            TableServiceClient signed =
                    Account.signed(Account.SECONDARY_ENDPOINT, AccountSas.sas(AccountSas.values("t", "s", "r")));
            Check.equal(
                    TableServiceGeoReplicationStatus.LIVE,
                    signed.getStatistics().getGeoReplication().getStatus(),
                    "the status");
        });

        cases.onTable("a wrong key is refused with 403 AuthenticationFailed everywhere", table -> {
            TableServiceClient service = Account.WRONG;
            TableClient wrong = service.getTableClient(table.getTableName());
            Check.refused(403, "AuthenticationFailed", () -> service.createTable(Account.freshName()));
            Check.refused(403, "AuthenticationFailed", () -> service.listTables().stream()
                    .count());
            Check.refused(403, "AuthenticationFailed", service::getProperties);
            Check.refused(403, "AuthenticationFailed", wrong::getAccessPolicies);
            Check.refused(403, "AuthenticationFailed", () -> wrong.getEntity("p", "r"));
            Check.refused(403, "AuthenticationFailed", () -> wrong.listEntities().stream()
                    .count());
            Check.refused(403, "AuthenticationFailed", () -> wrong.createEntity(new TableEntity("p", "r")));
            Check.refused(403, "AuthenticationFailed", () -> wrong.submitTransaction(Transactions.creations(2)));
            Check.refused(403, "AuthenticationFailed", wrong::deleteTable);
            Check.equal(0L, table.listEntities().stream().count(), "the number of entities");
        });

        cases.onTable("answers are of the version that was asked for, and name the request they belong to", table -> {
            for (TableServiceVersion version : TableServiceVersion.values()) {
                Response<Void> response = Account.service()
                        .connectionString(Account.CONNECTION_STRING)
                        .serviceVersion(version)
                        .buildClient()
                        .getTableClient(table.getTableName())
                        .createEntityWithResponse(new TableEntity("p", version.getVersion()), null, null);
                Check.equal(version.getVersion(), response.getHeaders().getValue(VERSION), "the version");
                String id = response.getRequest().getHeaders().getValue(HttpHeaderName.X_MS_CLIENT_REQUEST_ID);
                Check.equal(
                        id,
                        response.getHeaders().getValue(HttpHeaderName.X_MS_CLIENT_REQUEST_ID),
                        "the id of the request");
            }
        });
    }

    /** A case that sets properties of the whole account; they are as before afterwards. */
    private static void properties(Cases cases, String name, Cases.Body body) {
        cases.add(name, () -> {
            TableServiceProperties before = Account.SERVICE.getProperties();
            if (before.getCorsRules() == null) {
                before.setCorsRules(List.of());
            }
            try {
                body.run();
            } finally {
                Account.SERVICE.setProperties(before);
            }
        });
    }

    private static TableServiceLogging logging(int days) {
        return new TableServiceLogging()
                .setAnalyticsVersion("1.0")
                .setReadLogged(true)
                .setWriteLogged(false)
                .setDeleteLogged(true)
                .setRetentionPolicy(retention(days));
    }

    private static TableServiceMetrics metrics(boolean includeApis, int days) {
        return new TableServiceMetrics()
                .setVersion("1.0")
                .setEnabled(true)
                .setIncludeApis(includeApis)
                .setRetentionPolicy(retention(days));
    }

    private static TableServiceRetentionPolicy retention(int days) {
        return new TableServiceRetentionPolicy().setEnabled(true).setDaysToRetain(days);
    }

    private static TableServiceCorsRule rule(String origins) {
        return new TableServiceCorsRule()
                .setAllowedOrigins(origins)
                .setAllowedMethods("GET,PUT")
                .setAllowedHeaders("")
                .setExposedHeaders("")
                .setMaxAgeInSeconds(60);
    }

    private static String now() {
        return text(Account.SERVICE.getProperties());
    }

    private static String text(TableServiceProperties properties) {
        TableServiceLogging logging = properties.getLogging();
        List<TableServiceCorsRule> rules = properties.getCorsRules();
        return "logs %s %s %s %s kept %s; hours %s; minutes %s; rules %s"
                .formatted(
                        logging.getAnalyticsVersion(),
                        logging.isReadLogged(),
                        logging.isWriteLogged(),
                        logging.isDeleteLogged(),
                        text(logging.getRetentionPolicy()),
                        text(properties.getHourMetrics()),
                        text(properties.getMinuteMetrics()),
                        rules == null
                                ? List.of()
                                : rules.stream().map(Service::text).toList());
    }

    private static String text(TableServiceMetrics metrics) {
        return "%s %s %s kept %s"
                .formatted(
                        metrics.getVersion(),
                        metrics.isEnabled(),
                        metrics.isIncludeApis(),
                        text(metrics.getTableServiceRetentionPolicy()));
    }

    private static String text(TableServiceRetentionPolicy retention) {
        return retention.isEnabled() ? retention.getDaysToRetain() + " days" : "never";
    }

    /** The client reads an empty list of headers as null. */
    private static String text(TableServiceCorsRule rule) {
        return "%s %s [%s] [%s] %s"
                .formatted(
                        rule.getAllowedOrigins(),
                        rule.getAllowedMethods(),
                        Objects.toString(rule.getAllowedHeaders(), ""),
                        Objects.toString(rule.getExposedHeaders(), ""),
                        rule.getMaxAgeInSeconds());
    }
}
