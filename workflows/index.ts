export { executeCode } from './execute-code';
export { codeSession } from './code-session';
