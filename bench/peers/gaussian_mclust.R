# mclust's EM from a given start. Arguments: FOLDER VVV|VVI K ITERATIONS.
# me() begins with an M-step, so the responsibilities of the start are computed, and timed, before it.
suppressPackageStartupMessages(library(mclust))
arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
form <- arguments[2]
k <- as.integer(arguments[3])
iterations <- as.integer(arguments[4])

read_npy <- function(path) {
    file <- file(path, "rb")
    on.exit(close(file))
    readBin(file, "raw", 8)
    header <- rawToChar(readBin(file, "raw", readBin(file, "integer", 1, size = 2, signed = FALSE)))
    after <- sub(".*shape", "", header)
    shape <- as.integer(regmatches(after, gregexpr("[0-9]+", after))[[1]])
    matrix(readBin(file, "double", prod(shape)), nrow = shape[1], ncol = shape[2], byrow = TRUE)
}

x <- read_npy(file.path(folder, "x.npy"))
d <- ncol(x)
start <- scan(file.path(folder, "start.txt"), quiet = TRUE)
parameters <- list(pro = start[1:k], mean = matrix(start[k + seq_len(k * d)], nrow = d))
rest <- start[-seq_len(k + k * d)]
if (form == "VVV") {
    sigma <- array(rest, c(d, d, k))
    parameters$variance <- list(modelName = form, d = d, G = k, sigma = sigma,
                                cholsigma = array(apply(sigma, 3, chol), c(d, d, k)))
} else {
    variances <- matrix(rest, nrow = d)
    scale <- exp(colMeans(log(variances)))
    parameters$variance <- list(modelName = form, d = d, G = k, scale = scale,
                                shape = sweep(variances, 2, scale, "/"))
}
control <- emControl(itmax = iterations, tol = 0)
suppressWarnings(seconds <- system.time({
    z <- estep(data = x, modelName = form, parameters = parameters)$z
    fit <- me(data = x, modelName = form, z = z, control = control)
})[["elapsed"]])
cat(sprintf('{"seconds": %.6f, "iterations": %d, "check": %.9f}\n', seconds,
            abs(as.integer(attr(fit, "info")[1])), fit$loglik / nrow(x)))
