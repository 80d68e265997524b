'use strict';

/**
 * What the worker and the command line use of the set-up.
 */
const { ensureEngine } = require('./engine/index.js');
const { ensureImage } = require('./image/index.js');
const { sandboxImageTag } = require('./image/inputs.js');
const { SetupError } = require('./errors.js');

module.exports = { ensureEngine, ensureImage, sandboxImageTag, SetupError };
