/**
 * Writes the decoders of the API from its description, `../src/http/openapi.json`: `node decoders.mjs` makes the files of
 * {@link FILES} new. A test compares the two, so that neither the server's description nor the pages can change alone.
 *
 * A field with a default, or one that is not required, may be left out. Formats are conditions of {@link ./src/model/formats}.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
/**
 * What the pages read, each after what it is made of. The match and the round, the event, and what directors read are apart: visitors
 * do not load the rest.
 */
const LIVE = ['Candidate', 'Uncertain', 'Reserves', 'Clock', 'Board', 'Period', 'TimeControl', 'Result', 'Players', 'Table', 'Alternative', 'Illegal', 'After', 'Ply', 'Decided', 'Round', 'Match', 'Plies', 'Beat'];
const NOTICES = ['Ends', 'Announcement', 'RoundTimes', 'Notices', 'ChildRound', 'Child', 'AtTablePairing', 'AtTable', 'Shows', 'Screen', 'ScreenLine', 'ScreenList'];
const EVENT = ['TieBreak', 'Terms', 'Player', 'Entrant', 'Pairing', 'Bye', 'RoundFinding', 'Section', 'Event', 'StandingsRow', 'StandingsTable', 'ClubStandings', 'Chart', 'TermSource', 'Term', 'Explanation', 'Standings'];
const DIRECTORS = ['PerMove', 'Rank', 'Seat', 'Team', 'Scope', 'Me', 'Ready', 'Device', 'Paired', 'OpenInvitation', 'Staff', 'Invitation', 'Taken', 'TakenBy', 'Need', 'Needs', 'DirectorsBeat', 'Clause', 'Verdict', 'Question', 'Claim', 'Alert', 'LedgerLine', 'ReportLine', 'Report', 'Order', 'Step', 'PutUp', 'PairingChoice', 'PhotoFinish', 'ZeroTest', 'DirectorMatch', 'Reading', 'Clip', 'Rulebook', 'Treatment', 'FindingLine', 'FindingLines', 'FileProblem', 'Source', 'Mapping', 'Preview', 'HubNode', 'HubLine', 'AskingHub', 'HubList', 'AcceptedHub'];
/** The files, with those that each imports from. */
export const FILES = {
  'src/model/api.ts': { schemas: LIVE, imports: [] },
  'src/model/hall-api.ts': { schemas: NOTICES, imports: [] },
  'src/model/event-api.ts': { schemas: EVENT, imports: ['src/model/api.ts'] },
  'src/model/td/api.ts': { schemas: DIRECTORS, imports: ['src/model/api.ts'] },
};
const COMBINATORS = ['boolean', 'either', 'list', 'nullable', 'number', 'object', 'oneOf', 'otherwise', 'pair', 'record', 'string', 'where'];

const nameOf = (schema) => schema[0].toLowerCase() + schema.slice(1);

/** The decoder of a schema as source text. */
function decoder(schema, indent) {
  if (schema.$ref) return nameOf(schema.$ref.split('/').pop());
  if (schema.oneOf) {
    const others = schema.oneOf.filter(({ type }) => type !== 'null');
    const plain = others.length === 1 ? decoder(others[0], indent) : `either(${others.map((one) => decoder(one, indent)).join(', ')})`;
    return others.length === schema.oneOf.length ? plain : `nullable(${plain})`;
  }
  if (schema.enum) {
    const words = `oneOf(${schema.enum.filter((word) => word !== null).map((word) => `'${word}'`).join(', ')})`;
    return schema.enum.includes(null) ? `nullable(${words})` : words;
  }
  const types = [schema.type].flat();
  const one = types.filter((type) => type !== 'null').map((type) => conditioned(schema, typed({ ...schema, type }, indent)));
  const plain = one.length === 1 ? one[0] : `either(${one.join(', ')})`;
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
      return schema.properties === undefined ? `record(${decoder(schema.additionalProperties, indent)})` : fields(schema, indent);
    default:
      throw new Error(`no decoder for ${JSON.stringify(schema)}`);
  }
}

function conditioned(schema, plain) {
  if (schema.format) return `where(${plain}, ...formats.${schema.format})`;
  if (schema.type === 'number' && schema.minimum === 0 && schema.maximum === 1) return `where(${plain}, ...formats.probability)`;
  return schema.minItems === 1 ? `where(${plain}, ...formats.notEmpty)` : plain;
}

/** Longest line of an object, characters. */
const LINE_MAX = 150;

function fields({ properties, required = [] }, indent) {
  const inner = `${indent}  `;
  const parts = Object.entries(properties).map(([name, schema]) => {
    const plain = decoder(schema, inner);
    const left = required.includes(name) || plain.startsWith('nullable(') ? plain : `nullable(${plain})`;
    const text = 'default' in schema ? `otherwise(${plain}, ${JSON.stringify(schema.default).replaceAll('"', "'")})` : left;
    return name === text ? name : `${/^\w+$/.test(name) ? name : `'${name}'`}: ${text}`;
  });
  const line = `${indent}object({ ${parts.join(', ')} })`;
  return line.length <= LINE_MAX ? line.trim() : `object({\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}})`;
}

/** A file as the description has it. */
export function source(file) {
  const { schemas: of, imports } = FILES[file];
  const { schemas } = JSON.parse(readFileSync(here('../src/http/openapi.json'), 'utf8')).components;
  const parts = of.map((name) => {
    const told = schemas[name].description;
    const comment = told === undefined ? '' : `/** ${told} */\n`;
    return `${comment}export const ${nameOf(name)} = ${decoder(schemas[name], '')};\nexport type ${name} = Decoded<typeof ${nameOf(name)}>;\n`;
  });
  const has = (word) => parts.some((part) => new RegExp(`(^|[^.\\w])${word}(?![\\w:])`, 'm').test(part.replace(/'[^']*'|\/\*\*.*\*\//g, '')));
  const used = COMBINATORS.filter(has);
  const folder = file.endsWith('td/api.ts') ? '../' : './';
  const others = imports.map((from) => `import { ${FILES[from].schemas.map(nameOf).filter(has).sort().join(', ')} } from '${folder}${from.split('/').pop().replace('.ts', '')}';\n`);
  const formats = parts.some((part) => part.includes('formats.')) ? `import * as formats from '${folder}formats';\n` : '';
  return `/** Decoders of the API, written by \`node decoders.mjs\` from the server's description. Not to be changed by hand. */
${others.join('')}import { type Decoded, ${used.join(', ')} } from '${folder}decode';
${formats}
${parts.join('\n')}`;
}

if (process.argv[1] === here('decoders.mjs')) Object.keys(FILES).forEach((file) => writeFileSync(here(file), source(file)));
