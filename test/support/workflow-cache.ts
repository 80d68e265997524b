/** With HOURGLASS_TEST_UNCACHED every workflow task of a test's workers replays its history; else as the SDK has it. */
export function workflowCache(): { readonly maxCachedWorkflows?: number } {
  return process.env['HOURGLASS_TEST_UNCACHED'] ? { maxCachedWorkflows: 0 } : {};
}
