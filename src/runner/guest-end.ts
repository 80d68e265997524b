import { z } from 'zod';
import { SESSION_STATES } from '../contract';
import { MAX_SIGNAL } from './signals';

const count = z.number().int().nonnegative();

/** Payload of END. */
export const guestEndSchema = z.object({
  exitCode: z.number().int().min(0).max(255).nullable(),
  signal: z.number().int().min(1).max(MAX_SIGNAL).nullable(),
  killReason: z.string().max(64).nullable(),
  oomKills: count,
  stdoutBytes: count,
  stderrBytes: count,
  peakMemoryBytes: count.nullable(),
  cpuMs: z.number().nonnegative().nullable(),
  wallMs: z.number().nonnegative(),
  reportBytes: count,
  reportTruncated: z.boolean(),
  syntaxError: z.boolean(),
  figures: z.array(z.string().regex(/^figure-\d{1,3}\.png$/)).max(100),
  warnings: z.array(z.string()).max(1_000),
  /** Of a call of a session; guests of earlier versions do not know it. */
  session: z.object({ state: z.enum(SESSION_STATES), background: count }).nullish(),
});

/** What the guest says of a program's end; a claim, checked for its form. */
export type GuestEnd = z.infer<typeof guestEndSchema>;
