/** `node --import tsx suite.mjs`: the legacy azure-storage drives the server. */
import { runCases } from '../cases.ts';
import { suites } from '../suites.ts';
import './tables.mjs';
import './types.mjs';
import './keys.mjs';
import './writes.mjs';
import './batches.mjs';
import './queries.mjs';
import './signatures.mjs';
import './service.mjs';

await runCases(suites.find(({ name }) => name === 'azure-storage').casesMin);
