import {
  findExcesses,
  HourglassError,
  LIMITS,
  resolveLimits,
  type LimitExcess,
  type LimitPolicy,
  type ResolvedLimits,
  type ValidRequest,
} from '../contract';

/** Parts of a request; what is absent is not asked for. */
type Asked = Partial<ValidRequest>;

/** What the contract knows and this worker does not grant. */
const NOT_GRANTED: readonly { readonly asks: (request: Asked) => boolean; readonly message: string }[] = [
  {
    asks: (request) => request.allowNetworkAccess === true,
    message: 'allowNetworkAccess is true, this worker runs programs without a network',
  },
  {
    asks: (request) => (request.packages ?? []).length > 0,
    message: 'packages are asked for, this worker offers the packages of its image only',
  },
  {
    asks: (request) => request.sessionId !== undefined,
    message: 'sessionId is set: a call of a session goes to the workflow of its session, see `client.session`',
  },
  {
    asks: (request) => request.engine === 'isolate',
    message: 'engine is "isolate", this worker has the container engine only',
  },
];

function describe({ limit, asked, max }: LimitExcess): string {
  const { unit } = LIMITS[limit];
  return `${limit} is ${asked} ${unit}, this worker allows at most ${max} ${unit}`;
}

/**
 * The limits a request runs under: what it asks for, or the policy's defaults.
 *
 * Throws HourglassError POLICY_DENIED with every limit that exceeds the policy and its value; nothing is clamped.
 */
export function grantLimits(request: Asked, policy: LimitPolicy): ResolvedLimits {
  const refused = NOT_GRANTED.find((rule) => rule.asks(request));
  if (refused !== undefined) throw new HourglassError('POLICY_DENIED', refused.message);
  const limits = resolveLimits({ ...request.resourceLimits, timeout: request.timeout }, policy);
  const excesses = findExcesses(limits, policy);
  const [first] = excesses;
  if (first === undefined) return limits;
  throw new HourglassError('POLICY_DENIED', excesses.map(describe).join('; '), { ...first });
}
