import { z } from 'zod';

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

/** Bounds of a JSON object that a caller sends, and what to do instead when they are too small. */
export interface JsonBounds {
  readonly maxBytes: number;
  readonly maxNames: number;
  readonly maxDepth: number;
  readonly advice: string;
}

/** Whether a value is JSON and nests no deeper than `maxDepth`; iterative, so depth cannot overflow the stack. */
export function describeJsonFault(root: unknown, maxDepth: number): string | undefined {
  const pending: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, depth } = next;
    if (depth > maxDepth) return `nests deeper than ${maxDepth} levels`;
    if (value === null || typeof value === 'string' || typeof value === 'boolean') continue;
    if (typeof value === 'number') {
      if (Number.isFinite(value)) continue;
      return `holds ${value}, which JSON does not know`;
    }
    if (typeof value !== 'object') return `holds a ${typeof value}, which JSON does not know`;
    for (const child of Object.values(value)) {
      if (child !== undefined) pending.push({ value: child, depth: depth + 1 });
    }
  }
  return undefined;
}

/** A JSON object whose names match `names` and whose serialised form stays within the bounds. */
export function jsonObjectSchema(names: z.ZodType<string>, bounds: JsonBounds): z.ZodType<JsonObject, JsonObject> {
  return z.custom<JsonObject>().superRefine((value, ctx) => {
    // What is not sound JSON must not reach checks of the whole request, which serialise it.
    const fail = (message: string, path: string[] = []): void =>
      ctx.addIssue({ code: 'custom', message, path, continue: false });
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return fail('must be an object');
    const keys = Object.keys(value);
    if (keys.length > bounds.maxNames) return fail(`has ${keys.length} names, at most ${bounds.maxNames} are allowed`);
    for (const key of keys) {
      const parsed = names.safeParse(key);
      if (!parsed.success)
        fail(`name ${JSON.stringify(key.slice(0, 80))} ${parsed.error.issues[0]?.message ?? 'is refused'}`, [key]);
    }
    const fault = describeJsonFault(value, bounds.maxDepth);
    if (fault !== undefined) return fail(fault);
    // A date, or whatever else says by itself what it is as JSON, is no object there.
    const json = JSON.stringify(value) ?? '';
    if (!json.startsWith('{')) return fail('must be an object');
    const bytes = new TextEncoder().encode(json).length;
    if (bytes > bounds.maxBytes) fail(`has ${bytes} bytes, at most ${bounds.maxBytes} are allowed; ${bounds.advice}`);
  });
}
