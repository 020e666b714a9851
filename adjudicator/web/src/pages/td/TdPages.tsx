/** The directors' pages: whoever is not let in pairs the device first. */
import '../../style/td.css';
import { useEffect, useState } from 'preact/hooks';
import { Language } from '../../components/Language';
import { t } from '../../language/td';
import { keepPerson } from '../../live/td/kept';
import { TdError, forget, get, hasKey, pair } from '../../live/td/server';
import { type Me, me as meOf } from '../../model/td/wire';
import { decoded } from '../decoded';
import { EventPage } from './EventPage';
import { FamiliesPage } from './FamiliesPage';
import { HubsPage } from './HubsPage';
import { NeedsPage } from './NeedsPage';
import { CertificatesPage, PrizesPage, SlipsPage } from './Papers';
import { ReportPage } from './ReportPage';
import { RoundBoard } from './RoundBoard';
import { RulesPage } from './RulesPage';
import { StaffPage } from './StaffPage';
import { ScreensPage } from './ScreensPage';
import { StreamPage } from './StreamPage';
import { TableLinksPage } from './TableLinksPage';
import { TablePage } from './TablePage';
import { useAddress } from './useAddress';
import { useKeptFocus } from './useKeptFocus';

export function TdPages() {
  const address = useAddress();
  const [me, setMe] = useState<Me | null>(null);
  const [state, setState] = useState<'opening' | 'out' | 'in'>('opening');
  const [note, setNote] = useState('');
  const lost = () => setState('out');
  const enter = (found: Me) => {
    keepPerson(found.person);
    setMe(found);
    setState('in');
  };
  useKeptFocus(() => document.querySelector('h1'));
  useEffect(() => {
    document.title = t('Director – Twinboard');
    if (window.location.hash.length > 1 || !hasKey()) return setState('out');
    const look = (): void => {
      get('/api/v1/td/me', meOf).then(
        enter,
        (error: unknown) => {
          setNote(error instanceof Error ? error.message : '');
          // Where there is no network now, there will be one.
          if (error instanceof TdError && error.status === 0) window.setTimeout(look, 2_000);
          else setState('out');
        },
      );
    };
    look();
  }, []);
  if (state === 'opening') return <p class="note" role="status">{note || t('Opening…')}</p>;
  if (state === 'out' || me === null) {
    return <Pairing paired={enter} />;
  }
  const [, kind, name] = (address.split('?')[0] ?? '').split('/').filter(Boolean).map(decoded);
  if (kind === 'table' && name !== undefined) return <TablePage key={address} me={me} of={{ table: name }} lost={lost} />;
  if (kind === 'match' && name !== undefined) return <TablePage key={address} me={me} of={{ match: name }} lost={lost} />;
  if (kind === 'event') return <EventPage me={me} lost={lost} />;
  if (kind === 'staff') return <StaffPage me={me} lost={lost} />;
  if (kind === 'hubs') return <HubsPage me={me} lost={lost} />;
  if (kind === 'screens') return <ScreensPage me={me} lost={lost} />;
  if (kind === 'tables') return <TableLinksPage me={me} lost={lost} />;
  if (kind === 'stream') return <StreamPage me={me} lost={lost} />;
  if (kind === 'report') return <ReportPage me={me} />;
  if (kind === 'rules') return <RulesPage me={me} book={name ?? ''} />;
  if (kind === 'round') return <RoundBoard me={me} lost={lost} />;
  if (kind === 'families') return <FamiliesPage me={me} lost={lost} />;
  if (kind === 'slips') return <SlipsPage me={me} />;
  if (kind === 'certificates') return <CertificatesPage me={me} />;
  if (kind === 'prizes') return <PrizesPage me={me} />;
  return <NeedsPage me={me} lost={lost} />;
}

function Pairing({ paired }: { readonly paired: (me: Me) => void }) {
  const [token] = useState(() => window.location.hash.slice(1));
  const [pin, setPin] = useState('');
  const [note, setNote] = useState('');
  if (token === '') {
    return (
      <main class="td-pair">
        <h1>{t('Director')}</h1>
        <p>{t('This device is not paired, or its access was revoked.')}</p>
        <p>{t('Ask the chief director for a code, and open it with this device\'s camera.')}</p>
        <a class="button" href="/">{t('To the round')}</a>
        <Language />
      </main>
    );
  }
  const take = async (event: Event) => {
    event.preventDefault();
    try {
      forget();
      const me = await pair(token, pin);
      window.history.replaceState(null, '', '/td');
      paired(me);
    } catch (error) {
      setNote(error instanceof Error ? error.message : t('That did not work.'));
    }
  };
  return (
    <main class="td-pair">
      <h1>{t('Director')}</h1>
      <form onSubmit={take}>
        <label for="pin">{t('The PIN of your invitation')}</label>
        <input id="pin" inputMode="numeric" autocomplete="off" maxLength={8} value={pin} onInput={(event) => setPin(event.currentTarget.value)} />
        <button type="submit" class="strong" disabled={pin.length < 4}>{t('Pair this device')}</button>
      </form>
      {note !== '' && <p class="note" role="alert">{note}</p>}
      <Language />
    </main>
  );
}
