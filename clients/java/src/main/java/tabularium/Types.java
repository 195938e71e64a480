package tabularium;

import com.azure.data.tables.TableClient;
import com.azure.data.tables.models.TableEntity;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.Map;
import java.util.UUID;

final class Types {
    private Types() {}

    static void add(Cases cases) {
        cases.onTable(
                "strings come back as they are: empty, blank, quotes, line ends, control characters",
                table -> keeps(
                        table,
                        "",
                        " ",
                        "  two  spaces  ",
                        "it's \"quoted\" \\ / %27",
                        "\r\n\t\u0001\u007f",
                        "a\u0000b"));

        cases.onTable(
                "strings come back as they are: Unicode, supplementary characters, joined and not",
                table -> keeps(
                        table,
                        "Ünïcödé",
                        "日本語",
                        "שלום",
                        "\uD83D\uDE00 \uD834\uDD1E",
                        "e\u0301 \u00e9",
                        "\u2028\ufeff"));

        cases.onTable(
                "strings that look like other types stay strings",
                table -> keeps(
                        table,
                        "1",
                        "1.0",
                        "true",
                        "null",
                        "NaN",
                        "2020-01-01T00:00:00Z",
                        "5f1e3a1c-0d0f-4b6e-8a3e-0123456789ab",
                        "AQID",
                        "W/\"datetime'x'\"",
                        "{\"a\":[1]}"));

        cases.onTable("booleans come back as they are", table -> keeps(table, true, false));

        cases.onTable(
                "Int32 comes back at its ends", table -> keeps(table, 0, 1, -1, Integer.MAX_VALUE, Integer.MIN_VALUE));

        cases.onTable(
                "Int64 comes back at its ends, and is Int64 where an Int32 would do",
                table -> keeps(table, 0L, 1L, -1L, 2147483648L, 9007199254740993L, Long.MAX_VALUE, Long.MIN_VALUE));

        cases.onTable("whole doubles come back as doubles", table -> keeps(table, 3.0, 0.0, -1.0, 1e15, 1e21, 1e300));

        cases.onTable(
                "doubles come back to the last digit, at their ends too",
                table -> keeps(
                        table,
                        0.1,
                        1.0 / 3,
                        Math.PI,
                        -2.5e-7,
                        Double.MAX_VALUE,
                        -Double.MAX_VALUE,
                        Double.MIN_NORMAL,
                        Double.MIN_VALUE));

        cases.onTable("a negative zero keeps its sign", table -> keeps(table, -0.0));

        // The client writes these three as text without a type, so the type is given here.
        cases.onTable("NaN and the infinities come back as doubles", table -> {
            Map<String, Double> values =
                    Map.of("neither", Double.NaN, "above", Double.POSITIVE_INFINITY, "below", Double.NEGATIVE_INFINITY);
            TableEntity entity = new TableEntity("p", "r");
            values.forEach((name, value) ->
                    entity.addProperty(name, value.toString()).addProperty(name + "@odata.type", "Edm.Double"));
            table.createEntity(entity);
            TableEntity read = table.getEntity("p", "r");
            values.forEach((name, value) -> Check.equal(value, read.getProperty(name), "the value"));
        });

        cases.onTable(
                "dates come back as they are: without a fraction, with one, with all of its seven digits",
                table -> keeps(
                        table,
                        date("2020-02-29T23:59:59Z"),
                        date("2020-01-01T00:00:00Z"),
                        date("1999-12-31T23:59:59.9Z"),
                        date("2020-01-01T10:00:00.123Z"),
                        date("2020-01-01T10:00:00.1234567Z"),
                        date("2020-01-01T10:00:00.0000001Z")));

        cases.onTable(
                "dates come back at their ends",
                table -> keeps(
                        table,
                        date("1601-01-01T00:00:00Z"),
                        date("1969-12-31T23:59:59.999Z"),
                        date("9999-12-31T23:59:59.9999999Z")));

        cases.onTable("a date with an offset comes back as the same instant in UTC", table -> {
            OffsetDateTime eight = date("2020-01-01T08:00:00.5Z");
            Check.equal(eight, stored(table, eight.withOffsetSameInstant(ZoneOffset.ofHours(2))), "the date");
            Check.equal(
                    eight, stored(table, eight.withOffsetSameInstant(ZoneOffset.ofHoursMinutes(-9, -30))), "the date");
        });

        cases.onTable("dates of Java's other types are stored as dates", table -> {
            OffsetDateTime eight = date("2020-01-01T08:00:00.123Z");
            Check.equal(eight, stored(table, Date.from(eight.toInstant())), "the Date");
            Check.equal(eight, stored(table, eight.toInstant()), "the Instant");
            Check.equal(eight, stored(table, ZonedDateTime.from(eight)), "the ZonedDateTime");
            Check.equal(eight, stored(table, LocalDateTime.from(eight)), "the LocalDateTime");
        });

        cases.onTable(
                "guids come back as they are",
                table -> keeps(
                        table,
                        new UUID(0, 0),
                        new UUID(-1, -1),
                        UUID.fromString("c9da6455-213d-42c9-9a79-3e9149a57833")));

        cases.onTable("binaries come back as they are, empty and with every byte", table -> {
            byte[] everyByte = new byte[256];
            for (int value = 0; value < 256; value++) {
                everyByte[value] = (byte) value;
            }
            keeps(table, new byte[] {0}, new byte[] {-1, -2}, everyByte);
            // The client reads an empty Base64 text as null; with the type beside it, it can be nothing else.
            table.createEntity(new TableEntity("p", "empty").addProperty("value", new byte[0]));
            TableEntity read = table.getEntity("p", "empty");
            Check.equal("Edm.Binary", read.getProperty("value@odata.type"), "the type");
            Object value = read.getProperty("value");
            Check.that(
                    value == null || value instanceof byte[] bytes && bytes.length == 0, "an empty binary is " + value);
        });

        cases.onTable("a null property is not stored, alone or among others", table -> {
            table.createEntity(
                    new TableEntity("p", "r").addProperty("nothing", null).addProperty("something", 1));
            table.createEntity(new TableEntity("p", "s")
                    .addProperty("nothing", null)
                    .addProperty("nothing@odata.type", "Edm.Guid"));
            Check.equal(1, table.getEntity("p", "r").getProperty("something"), "the property");
            for (String rowKey : new String[] {"r", "s"}) {
                Check.that(!table.getEntity("p", rowKey).getProperties().containsKey("nothing"), "a null was stored");
            }
        });

        cases.onTable("one entity holds all the types", table -> {
            OffsetDateTime now = date("2024-05-06T07:08:09.1234567Z");
            UUID id = UUID.randomUUID();
            TableEntity entity = new TableEntity("p", "r")
                    .addProperty("text", "x")
                    .addProperty("truth", true)
                    .addProperty("int32", 32)
                    .addProperty("int64", 64L)
                    .addProperty("number", 0.5)
                    .addProperty("date", now)
                    .addProperty("id", id)
                    .addProperty("bytes", new byte[] {1, 2, 3});
            table.createEntity(entity);
            TableEntity read = table.getEntity("p", "r");
            for (String name : new String[] {"text", "truth", "int32", "int64", "number", "date", "id", "bytes"}) {
                Check.equal(entity.getProperty(name), read.getProperty(name), name);
            }
        });
    }

    static OffsetDateTime date(String text) {
        return OffsetDateTime.parse(text);
    }

    private static void keeps(TableClient table, Object... values) {
        for (Object value : values) {
            Check.equal(value, stored(table, value), "the value");
        }
    }

    /** The value as a point read shows it, after a query has shown the same. */
    private static Object stored(TableClient table, Object value) {
        String partitionKey = UUID.randomUUID().toString();
        table.createEntity(new TableEntity(partitionKey, "r").addProperty("value", value));
        Object read = table.getEntity(partitionKey, "r").getProperty("value");
        TableEntity found = Queries.entities(table, "PartitionKey eq '" + partitionKey + "'")
                .get(0);
        Check.equal(read, found.getProperty("value"), "what a query shows");
        return read;
    }
}
