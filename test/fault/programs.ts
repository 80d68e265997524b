import type { ExecutionRequest, Language } from '../../src/contract';

/** Each says what tells its start from any other, waits a moment, writes that into two files and ends with it. */
const CODE: Readonly<Record<Exclude<Language, 'typescript'>, string>> = {
  python: `
import secrets, time
token = secrets.token_hex(8)
print(token, flush=True)
time.sleep(1)
for name in ("a.txt", "b.txt"):
    with open(name, "w") as file:
        file.write(token)
print("end")
result = token + open("in.txt").read()
`,
  javascript: `
const fs = require('fs');
const token = require('crypto').randomBytes(8).toString('hex');
console.log(token);
await new Promise((resolve) => setTimeout(resolve, 1000));
for (const name of ['a.txt', 'b.txt']) fs.writeFileSync(name, token);
console.log('end');
const result = token + fs.readFileSync('in.txt', 'utf8');
`,
  shell: `
token=$(od -An -N8 -tx1 /dev/urandom | tr -d ' ')
echo "$token"
sleep 1
printf %s "$token" > a.txt
printf %s "$token" > b.txt
echo end
result="$token$(cat in.txt)"
`,
};

export const LANGUAGES_AT_FAULT = Object.keys(CODE) as (keyof typeof CODE)[];

/** A program with an input file and two output files, as every test of faults runs it. */
export function faultRequest(language: keyof typeof CODE): ExecutionRequest {
  return {
    language,
    code: CODE[language],
    inputFiles: [{ path: 'in.txt' }],
    outputFiles: ['a.txt', 'b.txt'].map((sandboxPath) => ({ sandboxPath, workspacePath: 'out/' })),
    timeout: 120_000,
  };
}
