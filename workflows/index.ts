export { executeCode } from './execute-code';
export { codeSession } from './code-session';
export { executeOnHosts, type OnHosts } from './ask-host';
export { askHosts } from './ask-hosts';
