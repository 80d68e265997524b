import type { ExecutionRequest } from '../../../src/contract';
import type { Fuzz } from '../../support/random';

/**
 * Each leaves a file whose name tells this start of it from any other, says the same on stdout, waits, writes it into an
 * output file and has it as its result.
 */
const CODE = {
  python: `
import secrets, time
token = secrets.token_hex(8)
open(f"run-{name}-{token}", "w").close()
print(token, flush=True)
time.sleep(seconds)
with open("out.txt", "w") as file:
    file.write(token)
print("end")
result = token
`,
  javascript: `
const fs = require('fs');
const token = require('crypto').randomBytes(8).toString('hex');
fs.writeFileSync(\`run-\${name}-\${token}\`, '');
console.log(token);
await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
fs.writeFileSync('out.txt', token);
console.log('end');
const result = token;
`,
  shell: `
token=$(od -An -N8 -tx1 /dev/urandom | tr -d ' ')
: > "run-$name-x$token"
echo "x$token"
sleep "$seconds"
printf %s "x$token" > out.txt
echo end
result="x$token"
`,
} as const;

/** Longer than anybody is away: a host counts as lost only when it is. */
const HOST_LOST_AFTER_MS = 600_000;
const LANGUAGES = Object.keys(CODE) as (keyof typeof CODE)[];

/** Where the program of this name leaves its output. */
export const outputPath = (name: string): string => `out/${name}.txt`;

/** A program of some language that runs for some seconds; one in four may run twice. */
export function someRequest(name: string, { pick, random }: Fuzz): ExecutionRequest {
  const language = pick(LANGUAGES);
  return {
    language,
    code: CODE[language],
    inputData: { name, seconds: 1 + random(120) / 10 },
    outputFiles: [{ sandboxPath: 'out.txt', workspacePath: outputPath(name) }],
    idempotent: random(4) === 0,
    hostLostAfter: HOST_LOST_AFTER_MS,
    timeout: 300_000,
  };
}
