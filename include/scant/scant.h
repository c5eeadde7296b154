/* scant: learning from scant labels. This header brings in the others. */
#ifndef SCANT_SCANT_H
#define SCANT_SCANT_H

#include <scant/status.h>
#include <scant/runtime.h>
#include <scant/options.h>
#include <scant/file.h>
#include <scant/data.h>
#include <scant/types.h>
#include <scant/context.h>
#include <scant/family.h>
#include <scant/model.h>
#include <scant/sequence.h>
#include <scant/fit.h>
#include <scant/stream.h>
#include <scant/audit.h>
#include <scant/plan.h>
#include <scant/margin.h>
#include <scant/blind.h>
#include <scant/train.h>
#include <scant/med.h>
#include <scant/factor.h>

#endif
