import { type z } from 'zod';
import { HourglassError, type FailureDetails } from './errors';

/** Issues a failure carries; a hostile request can have thousands. */
const MAX_ISSUES = 20;
const MAX_ISSUE_LENGTH = 300;

type Issues = NonNullable<FailureDetails['issues']>;

function toIssue(issue: z.core.$ZodIssue): Issues[number] {
  return {
    path: issue.path.map(String).join('.').slice(0, MAX_ISSUE_LENGTH),
    message: issue.message.slice(0, MAX_ISSUE_LENGTH),
  };
}

function describe(what: string, issues: Issues, total: number): string {
  const [first] = issues;
  const where = first?.path ? `${first.path}: ` : '';
  const more = total > 1 ? ` (and ${total - 1} more)` : '';
  return `${what} is not valid: ${where}${first?.message ?? 'unknown'}${more}`;
}

/** Validates a value. Throws HourglassError VALIDATION_ERROR with the first issues, each with its path. */
export function parseAs<Schema extends z.ZodType>(schema: Schema, input: unknown, what: string): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, MAX_ISSUES).map(toIssue);
  throw new HourglassError('VALIDATION_ERROR', describe(what, issues, parsed.error.issues.length), { issues });
}
