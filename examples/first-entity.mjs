// A table, an entity, a query: against a server started with `npm start`.
import { odata, TableClient } from '@azure/data-tables';

const people = TableClient.fromConnectionString('UseDevelopmentStorage=true', 'people', {
  allowInsecureConnection: true,
});
await people.createTable();
await people.upsertEntity({ partitionKey: 'Sales', rowKey: '000223', lastName: 'Jones', age: 34 });
for await (const person of people.listEntities({
  queryOptions: { filter: odata`PartitionKey eq ${'Sales'}` },
})) {
  console.log(person.rowKey, person.lastName, person.age);
}
