/** A first program through the client. Start `hourglass dev` in another terminal before. */
import { createHourglassClient } from 'hourglass-temporal/client';

async function main(): Promise<void> {
  const hourglass = await createHourglassClient();
  const { result, stdout, error } = await hourglass.run({
    language: 'python',
    code: 'print("hello from the sandbox")\nsum(numbers) / len(numbers)',
    inputData: { numbers: [1, 2, 3, 4] },
    timeout: 10_000,
  });
  process.stdout.write(`${stdout}result: ${JSON.stringify(result)}\n`);
  if (error !== undefined) process.stderr.write(`${error.code}: ${error.message}\n`);
  await hourglass.close();
}

void main();
