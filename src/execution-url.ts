/** What a link into the Temporal UI is made of. */
export interface ExecutionLink {
  readonly uiUrl: string;
  readonly namespace: string;
  readonly workflowId: string;
  readonly runId?: string | undefined;
}

// The dev server puts its UI a thousand ports above its front end.
const UI_PORT_DISTANCE = 1_000;
const DEFAULT_PORT = 7_233;

const CLOUD = /\.(tmprl\.cloud|temporal\.io):\d+$/;
const CLOUD_UI = 'https://cloud.temporal.io';

/** Where the UI of a server is by convention, for a `host:port` address. */
export function defaultUiUrl(address: string): string {
  if (CLOUD.test(address)) return CLOUD_UI;
  const { hostname, port } = new URL(`http://${address}`);
  return `http://${hostname}:${Number(port || DEFAULT_PORT) + UI_PORT_DISTANCE}`;
}

/** Address of one execution in the Temporal UI. */
export function executionUrl({ uiUrl, namespace, workflowId, runId }: ExecutionLink): string {
  const parts = ['namespaces', namespace, 'workflows', workflowId, ...(runId === undefined ? [] : [runId])];
  return `${uiUrl.replace(/\/+$/, '')}/${parts.map(encodeURIComponent).join('/')}`;
}
