package tabularium;

import com.azure.data.tables.models.TableEntity;
import java.util.stream.IntStream;

final class Limits {
    private Limits() {}

    static void add(Cases cases) {
        cases.onTable(
                "a binary of 64 KiB is stored, one byte more is refused with 400 PropertyValueTooLarge", table -> {
                    byte[] largest = new byte[65536];
                    largest[65535] = 7;
                    table.createEntity(new TableEntity("p", "r").addProperty("value", largest));
                    Check.equal(largest, table.getEntity("p", "r").getProperty("value"), "the binary");
                    Check.refused(
                            400,
                            "PropertyValueTooLarge",
                            () -> table.createEntity(new TableEntity("p", "s").addProperty("value", new byte[65537])));
                });

        cases.onTable("a string of 32 Ki is stored, one more is refused with 400 PropertyValueTooLarge", table -> {
            for (String character : new String[] {"x", "é", "日"}) {
                String largest = character.repeat(32768);
                table.upsertEntity(new TableEntity("p", "r").addProperty("value", largest));
                Check.equal(largest, table.getEntity("p", "r").getProperty("value"), "the string");
                Check.refused(
                        400,
                        "PropertyValueTooLarge",
                        () -> table.createEntity(new TableEntity("p", "s").addProperty("value", largest + character)));
            }
        });

        cases.onTable("252 properties are stored, 253 are refused with 400 TooManyProperties", table -> {
            TableEntity entity = new TableEntity("p", "r");
            IntStream.range(0, 252).forEach(index -> entity.addProperty("p" + index, index));
            table.createEntity(entity);
            Check.equal(251, table.getEntity("p", "r").getProperty("p251"), "the last property");
            Check.refused(400, "TooManyProperties", () -> table.updateEntity(entity.addProperty("more", 1)));
            Check.refused(
                    400,
                    "TooManyProperties",
                    () -> table.updateEntity(new TableEntity("p", "r").addProperty("more", 1)));
        });

        cases.onTable("an entity of nearly 1 MiB is stored, a larger one is refused with 400 EntityTooLarge", table -> {
            TableEntity entity = new TableEntity("p", "r");
            IntStream.range(0, 15).forEach(index -> entity.addProperty("p" + index, new byte[65536]));
            table.createEntity(entity);
            Check.equal(new byte[65536], table.getEntity("p", "r").getProperty("p14"), "the last property");
            TableEntity larger = new TableEntity("p", "s");
            IntStream.range(0, 17).forEach(index -> larger.addProperty("p" + index, new byte[65536]));
            Check.refused(400, "EntityTooLarge", () -> table.createEntity(larger));
        });

        cases.onTable(
                "a property name of 255 characters is stored, of 256 refused with 400 PropertyNameTooLong", table -> {
                    String longest = "n".repeat(255);
                    table.createEntity(new TableEntity("p", "r").addProperty(longest, 1));
                    Check.equal(1, table.getEntity("p", "r").getProperty(longest), "the property");
                    Check.refused(
                            400,
                            "PropertyNameTooLong",
                            () -> table.createEntity(new TableEntity("p", "s").addProperty(longest + "n", 1)));
                });

        cases.onTable("property names that are no identifiers are refused with 400 PropertyNameInvalid", table -> {
            for (String name : new String[] {"123", "a-b", "a b", "a'b"}) {
                Check.refused(
                        400,
                        "PropertyNameInvalid",
                        () -> table.createEntity(new TableEntity("p", "r").addProperty(name, 1)));
            }
        });

        cases.onTable("property names keep their case and their letters", table -> {
            table.createEntity(new TableEntity("p", "r")
                    .addProperty("age", 1)
                    .addProperty("Age", 2)
                    .addProperty("_größe", 3)
                    .addProperty("年齢", 4));
            TableEntity read = table.getEntity("p", "r");
            Check.equal(1, read.getProperty("age"), "age");
            Check.equal(2, read.getProperty("Age"), "Age");
            Check.equal(3, read.getProperty("_größe"), "the name with an underscore");
            Check.equal(4, read.getProperty("年齢"), "the name without Latin letters");
        });

        cases.onTable(
                "a date before 1601 is refused with 400 OutOfRangeInput",
                table -> Check.refused(
                        400,
                        "OutOfRangeInput",
                        () -> table.createEntity(
                                new TableEntity("p", "r").addProperty("value", Types.date("1600-12-31T23:59:59Z")))));

        cases.onTable("values that are not of the type they claim are refused with 400 InvalidInput", table -> {
            String[][] claims = {
                {"Edm.Int64", "9223372036854775808"},
                {"Edm.Guid", "not-a-guid"},
                {"Edm.DateTime", "2020-02-30T00:00:00Z"},
                {"Edm.Binary", "***"}
            };
            for (String[] claim : claims) {
                Check.refused(
                        400,
                        "InvalidInput",
                        () -> table.createEntity(new TableEntity("p", "r")
                                .addProperty("value", claim[1])
                                .addProperty("value@odata.type", claim[0])));
            }
        });

        cases.onTable("keys of 512 characters are stored and found", table -> {
            String longest = "k".repeat(512);
            table.createEntity(new TableEntity(longest, longest));
            Check.equal(longest, table.getEntity(longest, longest).getRowKey(), "the row key");
        });
    }
}
