/** What isolates files, sessions, reuse and budgets from each other. */
export interface Tenant {
  readonly workspaceId: string;
  readonly userId: string;
}

/** Tenant of a request that names none. */
export const DEFAULT_TENANT: Tenant = { workspaceId: 'default', userId: 'default' };

/** The tenant a request belongs to; both halves default on their own. */
export function tenantOf(request: { workspaceId?: string | undefined; userId?: string | undefined }): Tenant {
  return {
    workspaceId: request.workspaceId ?? DEFAULT_TENANT.workspaceId,
    userId: request.userId ?? DEFAULT_TENANT.userId,
  };
}
