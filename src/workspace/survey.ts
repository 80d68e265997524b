import { using } from './directory';
import { OWNERS_FOLDER, OwnerSurvey } from './owner';
import type { StoreContext } from './store-context';
import { findUnfinished, visitTenants } from './unfinished';
import type { LeftUnfinished } from './workspace';

/** What a recovery would put in order; changes nothing. What fails for one tenant is logged. */
export async function surveyStore(context: StoreContext): Promise<LeftUnfinished[]> {
  const { log } = context.options;
  const root = context.openRoot();
  // Nobody stages anything before its record is there.
  if (root === undefined) return [];
  return using(root, async () => {
    if (root.stat(OWNERS_FOLDER) === undefined) return [];
    return using(root.open(OWNERS_FOLDER), async (owners) => {
      const survey = new OwnerSurvey(owners);
      const found: LeftUnfinished[] = [];
      await visitTenants(
        root,
        async (tenant, names) => void found.push(...(await findUnfinished(tenant, names, survey))),
        (err, names) => log?.warn({ err, tenant: names.join('/') }, 'a workspace could not be looked through'),
      );
      return [...found, ...ownerRecords(await survey.gone())];
    });
  });
}

/** Records of owners that are gone, as parts of a survey. */
export function ownerRecords(ids: readonly string[]): LeftUnfinished[] {
  return ids.map((name) => ({ kind: 'owner', name, bytes: 0 }));
}
