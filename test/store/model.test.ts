import { ModelStore } from '../../src/store/model.ts';
import { describeStoreContract } from './contract.ts';

describeStoreContract('the model', () => {
  const store = new ModelStore();
  return { store, closed: () => store.close() };
});
