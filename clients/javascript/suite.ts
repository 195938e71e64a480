/** `node --import tsx suite.ts data-tables-13`: @azure/data-tables of that name in package.json drives the server. */
import { runCases } from '../cases.ts';
import { suites } from '../suites.ts';
import './tables.ts';
import './types.ts';
import './keys.ts';
import './writes.ts';
import './transactions.ts';
import './queries.ts';
import './table-sas.ts';
import './account-sas.ts';
import './access-policies.ts';
import './service.ts';
import './errors.ts';

const suite = suites.find(({ command }) => command.at(-1) === (process.argv[2] ?? 'data-tables-13'));
await runCases(suite?.casesMin ?? 0);
