import { ModelStore } from '../../src/store/model.ts';
import { describeStoreContract } from './contract.ts';
import { decideRows } from './rule.ts';

describeStoreContract('the model', () => {
  const store = new ModelStore(decideRows);
  return { store, closed: () => store.close() };
});
