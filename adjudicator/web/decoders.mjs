/**
 * Writes the decoders of the public API from its description, `../src/http/openapi.json`: `node decoders.mjs` makes
 * `src/model/api.ts` new. A test compares the two, so that neither the server's description nor the pages can change alone.
 *
 * A field with a default, or one that is not required, may be left out. Formats are conditions of {@link ./src/model/formats}.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
/** What the pages read, each after what it is made of. */
const SCHEMAS = ['Candidate', 'Uncertain', 'Reserves', 'Clock', 'Board', 'Period', 'TimeControl', 'Result', 'Players', 'Table', 'Alternative', 'Illegal', 'After', 'Ply', 'Decided', 'Round', 'Match', 'Plies', 'Beat'];
const COMBINATORS = ['boolean', 'list', 'nullable', 'number', 'object', 'oneOf', 'otherwise', 'pair', 'string', 'where'];

const nameOf = (schema) => schema[0].toLowerCase() + schema.slice(1);

/** The decoder of a schema as source text. */
function decoder(schema, indent) {
  if (schema.$ref) return nameOf(schema.$ref.split('/').pop());
  if (schema.oneOf) return `nullable(${decoder(schema.oneOf.find(({ type }) => type !== 'null'), indent)})`;
  if (schema.enum) {
    const words = `oneOf(${schema.enum.filter((word) => word !== null).map((word) => `'${word}'`).join(', ')})`;
    return schema.enum.includes(null) ? `nullable(${words})` : words;
  }
  const types = [schema.type].flat();
  const plain = conditioned(schema, typed({ ...schema, type: types.find((type) => type !== 'null') }, indent));
  return types.includes('null') ? `nullable(${plain})` : plain;
}

function typed(schema, indent) {
  switch (schema.type) {
    case 'string':
    case 'boolean':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return schema.minItems === 2 && schema.maxItems === 2 ? `pair(${decoder(schema.items, indent)})` : `list(${decoder(schema.items, indent)})`;
    case 'object':
      return fields(schema, indent);
    default:
      throw new Error(`no decoder for ${JSON.stringify(schema)}`);
  }
}

function conditioned(schema, plain) {
  if (schema.format) return `where(${plain}, ...formats.${schema.format})`;
  if (schema.type === 'number' && schema.minimum === 0 && schema.maximum === 1) return `where(${plain}, ...formats.probability)`;
  return schema.minItems === 1 ? `where(${plain}, ...formats.notEmpty)` : plain;
}

function fields({ properties, required = [] }, indent) {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, schema]) => {
    const plain = decoder(schema, inner);
    const left = required.includes(name) || plain.startsWith('nullable(') ? plain : `nullable(${plain})`;
    const text = 'default' in schema ? `otherwise(${plain}, ${JSON.stringify(schema.default).replaceAll('"', "'")})` : left;
    return `${inner}${name}: ${text},\n`;
  });
  return `object({\n${lines.join('')}${indent}})`;
}

/** The whole file. */
export function source() {
  const { schemas } = JSON.parse(readFileSync(here('../src/http/openapi.json'), 'utf8')).components;
  const parts = SCHEMAS.map((name) => {
    const told = schemas[name].description;
    const comment = told === undefined ? '' : `/** ${told} */\n`;
    return `${comment}export const ${nameOf(name)} = ${decoder(schemas[name], '')};\nexport type ${name} = Decoded<typeof ${nameOf(name)}>;\n`;
  });
  const used = COMBINATORS.filter((name) => parts.some((part) => part.includes(`${name}(`) || part.includes(`: ${name},`) || part.includes(`(${name}`)));
  return `/** Decoders of the public API, written by \`node decoders.mjs\` from the server's description. Not to be changed by hand. */
import { type Decoded, ${used.join(', ')} } from './decode';
import * as formats from './formats';

${parts.join('\n')}`;
}

if (process.argv[1] === here('decoders.mjs')) writeFileSync(here('src/model/api.ts'), source());
