/**
 * Faults at places that no outside kill can aim at. Loaded into a real worker with `node --require`; the worker itself is the one that
 * ships. `HOLDPOINT_TEST_FAULT` names the fault, which happens once; the file `HOLDPOINT_TEST_FAULT_MARK` says that it did.
 */
const fs = require('node:fs');
const path = require('node:path');

const {
  HOLDPOINT_TEST_FAULT: fault,
  HOLDPOINT_TEST_FAULT_MARK: mark,
  HOLDPOINT_EFFECTS_FILE: effectsFile,
} = process.env;

const happened = () => fs.existsSync(mark);
const die = () => process.kill(process.pid, 'SIGKILL');

const append = fs.appendFileSync;
fs.appendFileSync = (file, ...rest) => {
  if (file !== effectsFile || happened() || !fault.endsWith('-writing-an-effect')) return append(file, ...rest);
  fs.writeFileSync(mark, '');
  if (fault === 'dies-before-writing-an-effect') die();
  append(file, ...rest);
  die();
};

if (fault === 'hangs-in-a-model-turn') {
  const { ScriptedModel } = require(path.resolve(__dirname, '../../dist/activities/scripted-model.js'));
  const respond = ScriptedModel.prototype.respond;
  ScriptedModel.prototype.respond = function (request, ...rest) {
    if (happened()) return respond.call(this, request, ...rest);
    fs.writeFileSync(mark, '');
    return new Promise(() => undefined);
  };
}
