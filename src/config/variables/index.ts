import type { VariableTable } from '../variable';
import { CAPACITY } from './capacity';
import { CONNECTION } from './connection';
import { FILES } from './files';
import { OPERATION } from './operation';
import { POLICY } from './policy';
import { SESSIONS } from './sessions';

/** Every setting by the field it fills. The compiler checks that none is missing and that each has the field's type. */
export const VARIABLES: VariableTable = { ...CONNECTION, ...CAPACITY, ...POLICY, ...FILES, ...SESSIONS, ...OPERATION };
