import { HourglassError } from '../../contract';

const MAX_REASON_LENGTH = 400;

/** Errors of the connection, and what a person can do about each. */
const REMEDIES: Readonly<Record<string, string>> = {
  ENOENT: 'no engine listens there: start it, or run `hourglass setup`',
  ECONNREFUSED: 'no engine listens there: start it, or run `hourglass setup`',
  EACCES: 'this user may not use it: join its group (often `docker`)',
  ENOTFOUND: 'its name cannot be resolved: check DOCKER_HOST',
  ETIMEDOUT: 'it does not answer: check DOCKER_HOST and the network',
  EHOSTUNREACH: 'it cannot be reached: check DOCKER_HOST and the network',
  ECONNRESET: 'it closed the connection',
  EPIPE: 'it closed the connection',
};

/** HTTP status of the engine's answer; undefined where there was none. */
export function statusOf(error: unknown): number | undefined {
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' ? status : undefined;
}

/** The one place where failures of the engine become ours: ENGINE_UNAVAILABLE with what to do about it. */
export function explainFailure(error: unknown, action: string, dockerHost: string): HourglassError {
  if (error instanceof HourglassError) return error;
  const status = statusOf(error);
  const message =
    status === undefined ? describeConnection(error, dockerHost) : describeAnswer(error, status, action, dockerHost);
  return new HourglassError('ENGINE_UNAVAILABLE', message, {}, { cause: error });
}

const OUR_IMAGES = 'hourglass/sandbox:';

/** What a missing image means for the person who runs the worker. */
export function imageMissing(image: string): HourglassError {
  const remedy = image.startsWith(OUR_IMAGES)
    ? 'run `hourglass setup` to build it'
    : 'pull or build it, or unset CODE_SANDBOX_IMAGE to use the one that `hourglass setup` builds';
  return new HourglassError('ENGINE_UNAVAILABLE', `The sandbox image ${image} is not on the Docker engine: ${remedy}.`);
}

function describeConnection(error: unknown, dockerHost: string): string {
  const code = (error as { code?: unknown } | null)?.code;
  const remedy = typeof code === 'string' ? REMEDIES[code] : undefined;
  return `The Docker engine at ${dockerHost} cannot be used: ${remedy ?? reasonOf(error)}.`;
}

function describeAnswer(error: unknown, status: number, action: string, dockerHost: string): string {
  return `The Docker engine at ${dockerHost} did not ${action} (${status}): ${reasonOf(error)}`;
}

/** The engine's own words, on one line and bounded: they may repeat what a request held. */
function reasonOf(error: unknown): string {
  const json = (error as { json?: { message?: unknown } } | null)?.json;
  const text =
    typeof json?.message === 'string' ? json.message : error instanceof Error ? error.message : String(error);
  return text.replace(/\s+/g, ' ').trim().slice(0, MAX_REASON_LENGTH);
}
