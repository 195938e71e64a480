import { type Case, compose } from '../compose.ts';
import { mutateDraft } from '../mutate-draft.ts';
import { Random } from '../random.ts';
import type { World } from '../world.ts';
import { validDraft } from './operations.ts';
import { rawCase } from './raw-bytes.ts';

/** The case of this number: the same for the same seed, but for times and what the server told before. */
export function makeCase(seed: string, caseNumber: number, world: World): Case {
  const random = new Random(seed, caseNumber);
  if (random.onceIn(10)) return rawCase(random, world);
  random.isCareful = random.onceIn(3);
  const mutations = random.isCareful ? 0 : random.pick([0, 0, 1, 1, 2, 3, 6]);
  let draft = validDraft(random, world);
  for (let done = 0; done < mutations; done++) draft = mutateDraft(random, world, draft);
  return compose(random, world, draft);
}
